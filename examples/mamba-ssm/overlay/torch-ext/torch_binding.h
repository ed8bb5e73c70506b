#pragma once

#include <torch/all.h>

#include <optional>
#include <vector>

std::vector<at::Tensor> selective_scan_fwd(const at::Tensor &u, const at::Tensor &delta, const at::Tensor &A,
                                           const at::Tensor &B, const at::Tensor &C,
                                           const std::optional<at::Tensor> &D, const std::optional<at::Tensor> &z,
                                           const std::optional<at::Tensor> &delta_bias, bool delta_softplus);

std::vector<at::Tensor> selective_scan_bwd(const at::Tensor &u, const at::Tensor &delta, const at::Tensor &A,
                                           const at::Tensor &B, const at::Tensor &C,
                                           const std::optional<at::Tensor> &D, const std::optional<at::Tensor> &z,
                                           const std::optional<at::Tensor> &delta_bias, const at::Tensor &dout,
                                           const std::optional<at::Tensor> &x, const std::optional<at::Tensor> &out,
                                           std::optional<at::Tensor> &dz, bool delta_softplus, bool recompute_out_z);
