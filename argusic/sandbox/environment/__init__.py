"""The published environment: an image of packages pinned by digest, the same to the byte wherever it is built."""
