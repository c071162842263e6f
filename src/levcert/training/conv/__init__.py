"""Training of the paper's convolutional network, with torch."""
