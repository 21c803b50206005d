"""ctxcore: what an agent's model really received, and what a budget would have kept."""
