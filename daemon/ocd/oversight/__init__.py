"""What people decide while agents work: approvals, and what asks for them."""
