"""The engine of kernel machines: kernels of rows, and support vector machines on them."""
