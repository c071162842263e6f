"""Accuracies of a model on labelled texts: clean, verified and under attack."""
