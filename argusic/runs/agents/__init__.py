"""The agents that Argusic ships: `newcomer`, and the controls. One module or package an implementation."""
