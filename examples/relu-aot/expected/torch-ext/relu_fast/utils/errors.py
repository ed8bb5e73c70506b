class LayoutError(ValueError):
    """The tensor's memory layout is not supported."""
