"""A planner whose "done" is proved: ``planner`` runs steps, ``proposals`` reads what the model plans, ``gates`` and ``signals`` judge what it did.

Source: the planner's rules.
"""
