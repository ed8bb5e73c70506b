#pragma once

#include <torch/torch.h>

void relu_cpu(torch::Tensor& out, const torch::Tensor& input);
void relu_cuda(torch::Tensor& out, const torch::Tensor& input);
