"""What laptime knows of PyTorch. Nothing here imports torch: it is used only where the program has it."""
