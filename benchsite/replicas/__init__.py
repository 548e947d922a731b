"""Reading from streaming replicas: which of them may answer whom."""
