#include "relu.h"

void relu_cpu(torch::Tensor& out, const torch::Tensor& input) {
  TORCH_CHECK(input.scalar_type() == torch::kFloat, "relu wants float32");
  const float* from = input.data_ptr<float>();
  float* to = out.data_ptr<float>();
  for (int64_t i = 0; i < input.numel(); ++i) {
    to[i] = from[i] > 0.0f ? from[i] : 0.0f;
  }
}
