"""Studies with a goal: `quote`, what one will spend and its chance to decide (`quorate.quote`); `path`, its looks."""
