"""Linear models over character n-grams, as scikit-learn trains them: imported exactly, not trained here."""
