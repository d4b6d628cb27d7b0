import { execFileSync } from "node:child_process"
import { expect, test } from "vitest"
import { postCommand } from "./PostingWays.tsx"

// Catches a title or channel that ends the quotes, so that the rest runs as commands.
test("writes a command that a shell reads back exactly", { tags: "unix" }, () => {
  const notification = {
    title: `It's "5 o'clock" $(touch x) \`id\` \\ è`,
    category: "messaging",
    deepLink: "/messaggi?channel='; id; '",
  }
  const command = postCommand("http://127.0.0.1:8484", notification)
  const words = execFileSync("sh", ["-c", command.replace(/^curl/, String.raw`printf '%s\n'`)], {
    env: { KEY: "box_1" },
    encoding: "utf8",
  }).split("\n")
  expect(words[2]).toBe("x-api-key: box_1")
  expect(JSON.parse(words[6] ?? "")).toEqual(notification)
})
