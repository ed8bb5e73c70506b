import triton_relu

print(triton_relu.relu)
