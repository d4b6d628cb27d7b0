// Empty: nothing uses the packages that this stands in for.
