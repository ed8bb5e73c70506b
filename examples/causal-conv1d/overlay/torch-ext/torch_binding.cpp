#include <torch/library.h>

#include "registration.h"
#include "torch_binding.h"

using OptionalTensor = std::optional<at::Tensor>;

// The dispatcher passes optional tensors by value; upstream's functions take some of them by reference.
static void fwd(const at::Tensor &x, const at::Tensor &weight, const OptionalTensor &bias,
                const OptionalTensor &seq_idx, const OptionalTensor &initial_states, at::Tensor out,
                OptionalTensor final_states_out, bool silu_activation) {
  causal_conv1d_fwd(x, weight, bias, seq_idx, initial_states, out, final_states_out, silu_activation);
}

static void bwd(const at::Tensor &x, const at::Tensor &weight, const OptionalTensor &bias, at::Tensor dout,
                const OptionalTensor &seq_idx, const OptionalTensor &initial_states,
                const OptionalTensor &dfinal_states, at::Tensor dx, at::Tensor dweight, OptionalTensor dbias,
                OptionalTensor dinitial_states, bool silu_activation) {
  causal_conv1d_bwd(x, weight, bias, dout, seq_idx, initial_states, dfinal_states, dx, dweight, dbias,
                    dinitial_states, silu_activation);
}

static void update(const at::Tensor &x, const at::Tensor &conv_state, const at::Tensor &weight,
                   const OptionalTensor &bias, at::Tensor out, bool silu_activation,
                   const OptionalTensor &cache_seqlens, const OptionalTensor &conv_state_indices) {
  causal_conv1d_update(x, conv_state, weight, bias, out, silu_activation, cache_seqlens, conv_state_indices);
}

TORCH_LIBRARY_EXPAND(TORCH_EXTENSION_NAME, ops) {
  ops.def(
      "causal_conv1d_fwd(Tensor x, Tensor weight, Tensor? bias, Tensor? seq_idx, Tensor? initial_states, "
      "Tensor! out, Tensor!? final_states_out, bool silu_activation) -> ()");
  ops.impl("causal_conv1d_fwd", torch::kCUDA, &fwd);
  ops.def(
      "causal_conv1d_bwd(Tensor x, Tensor weight, Tensor? bias, Tensor dout, Tensor? seq_idx, "
      "Tensor? initial_states, Tensor!? dfinal_states, Tensor! dx, Tensor! dweight, Tensor!? dbias, "
      "Tensor!? dinitial_states, bool silu_activation) -> ()");
  ops.impl("causal_conv1d_bwd", torch::kCUDA, &bwd);
  ops.def(
      "causal_conv1d_update(Tensor x, Tensor! conv_state, Tensor weight, Tensor? bias, Tensor! out, "
      "bool silu_activation, Tensor? cache_seqlens, Tensor? conv_state_indices) -> ()");
  ops.impl("causal_conv1d_update", torch::kCUDA, &update);
}

REGISTER_EXTENSION(TORCH_EXTENSION_NAME)
