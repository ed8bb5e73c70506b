#pragma once

#include <torch/all.h>

#include <optional>

void causal_conv1d_fwd(const at::Tensor &x, const at::Tensor &weight, const std::optional<at::Tensor> &bias,
                       const std::optional<at::Tensor> &seq_idx, const std::optional<at::Tensor> &initial_states,
                       at::Tensor &out, std::optional<at::Tensor> &final_states_out, bool silu_activation);

void causal_conv1d_bwd(const at::Tensor &x, const at::Tensor &weight, const std::optional<at::Tensor> &bias,
                       at::Tensor &dout, const std::optional<at::Tensor> &seq_idx,
                       const std::optional<at::Tensor> &initial_states,
                       const std::optional<at::Tensor> &dfinal_states, at::Tensor &dx, at::Tensor &dweight,
                       std::optional<at::Tensor> &dbias, std::optional<at::Tensor> &dinitial_states,
                       bool silu_activation);

void causal_conv1d_update(const at::Tensor &x, const at::Tensor &conv_state, const at::Tensor &weight,
                          const std::optional<at::Tensor> &bias, at::Tensor &out, bool silu_activation,
                          const std::optional<at::Tensor> &cache_seqlens,
                          const std::optional<at::Tensor> &conv_state_indices);
