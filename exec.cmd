@rem npm scripts say "exec", so that signals to npm reach the program; the shell of Windows has no such word.
@%*
