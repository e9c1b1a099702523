"""What an agent knows for certain: learnt by rule from what it hears and sees, with the memory that bears it out."""
