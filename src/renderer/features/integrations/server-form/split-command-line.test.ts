import { expect, it } from "vitest"
import { splitCommandLine } from "./ServerDialogs.tsx"

// Catches a split quoted path, a lost empty argument, and a Windows path without its backslashes.
it.each([
  ["npx -y @scope/server --root /home/me", ["npx", "-y", "@scope/server", "--root", "/home/me"]],
  ['"/opt/my tools/run" --name \'a "b"\'', ["/opt/my tools/run", "--name", 'a "b"']],
  ['run /my\\ notes  --title="two words"', ["run", "/my notes", "--title=two words"]],
  ["C:\\tools\\run.exe /x", ["C:\\tools\\run.exe", "/x"]],
  ['run "" "say \\"hi\\""', ["run", "", 'say "hi"']],
  ["  ", []],
])("%s", (line, words) => {
  expect(splitCommandLine(line)).toEqual(words)
})
