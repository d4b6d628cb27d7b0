import { describe, expect, it } from "vitest"
import {
  describeParseError,
  describeUnknownCommand,
  describeUnknownFlag,
  getHelp,
} from "../../serve/command-help.ts"
import { runCommand, runCommandWith } from "../testing/box-process.ts"
import { readArguments, serverOptions } from "./arguments.ts"
import { describeProgram, findCommand } from "./registry.ts"

const program = await describeProgram()

describe("help", () => {
  // Catches an option of the server that no help shows.
  it("describes every option of the server", () => {
    expect(program.serverFlags.map(({ name }) => name).toSorted()).toEqual(
      Object.keys(serverOptions).toSorted(),
    )
  })

  // Catches a command that the first page doesn't list, and one whose help or options are empty.
  it.each(program.sections.flatMap(({ commands }) => commands.map(({ words }) => words.join(" "))))(
    "describes %s",
    (name) => {
      expect(getHelp(program, [])).toContain(`  ${name}`)
      expect(getHelp(program, name.split(" "))).toMatch(
        new RegExp(`^Usage: box ${name}.*\\n\\n[A-Z].*\\.\\n`),
      )
    },
  )

  // Catches a required option that users only learn about from an error.
  it("shows required options in the usage", () => {
    expect(getHelp(program, ["keys"])).toContain("keys create --name NAME")
    expect(getHelp(program, ["ask"])).toContain("Usage: box ask QUESTION --choices A,B…")
  })

  // Catches a group's name that is treated as an unknown command.
  it("lists the commands of a group", () => {
    expect(getHelp(program, ["models"])).toContain("models use ID|NAME")
    expect(getHelp(program, ["models", "fly"])).toBeUndefined()
  })
})

describe("an error", () => {
  // Catches an error without the way out, and one that scrolls away because the whole usage follows.
  it.each([
    [["kyes", "list"], 'There is no command "kyes". Did you mean "keys"? "box help" lists the commands.'],
    [
      ["keys", "lst"],
      'There is no command "keys lst". Did you mean "keys list"? "box help keys" lists the commands.',
    ],
    [["xyzzy"], 'There is no command "xyzzy". "box help" lists the commands.'],
  ])("for the unknown command %j names a similar one", (words, expected) => {
    expect(describeUnknownCommand(program, words)).toBe(expected)
  })

  it("for an unknown option names a similar one", async () => {
    const command = await findCommand(["chat"])
    expect(describeUnknownFlag(program, "foldr", command)).toBe(
      '"chat" has no option --foldr. Did you mean --folder? "box help chat" lists the options.',
    )
  })

  it.each([
    [
      ["chat", "--jsn"],
      '"chat" has no option --jsn. Did you mean --json? "box help chat" lists the options.',
    ],
    [
      ["--prot", "1"],
      'The server has no option --prot. Did you mean --port? "box help server" lists the options.',
    ],
    [["--port"], "--port needs a value."],
    [["models", "list", "--json=yes"], "--json takes no value."],
  ])("in the arguments %j is one line", (args, expected) => {
    let thrown: unknown
    try {
      readArguments(args)
    } catch (error) {
      thrown = error
    }
    expect(describeParseError(program, thrown, args)).toBe(expected)
  })
})

// Catches short options and words that other programs have, refused; and errors on stdout or with exit code 0.
it("answers -h, help, -v and mistakes like other programs", async () => {
  const [help, word, version, group, mistake, forServer] = await Promise.all([
    runCommand("-h"),
    runCommand("help"),
    runCommand("-v"),
    runCommand("users"),
    runCommand("user", "list"),
    runCommand("--folder", "Handbook"),
  ])
  expect(help).toMatchObject({ code: 0, stderr: "", stdout: word.stdout })
  expect(help.stdout).toContain("Usage: box [options]")
  expect(version).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Casella \d+\.\d+\.\d+\n$/) })
  expect(group).toMatchObject({ code: 0, stdout: expect.stringContaining("users add EMAIL") })
  expect(mistake).toMatchObject({ code: 2, stdout: "", stderr: expect.stringMatching(/"users"\?.*\n$/) })
  expect(forServer).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^The server has no option.*\n$/),
  })
})

// Catches usage that can't be typed where the program was started by npm.
it("names the npm script if npm started it", async () => {
  const { stdout } = await runCommandWith({ env: { npm_lifecycle_event: "box" } }, "help", "search")
  expect(stdout).toMatch(/^Usage: npm run --silent box -- search QUERY/)
})
