"""The three protocols of model servers, as far as the gateway of a run must know them: one module for each."""
