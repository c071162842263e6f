"""The hot loops.  Nothing else in the project is low-level; every kernel has a slow twin in the tests."""
