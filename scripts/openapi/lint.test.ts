import { readFileSync } from "node:fs"
import { createConfig, lintFromString } from "@redocly/openapi-core"
import spectral, { type ISpectralDiagnostic, type RulesetDefinition } from "@stoplight/spectral-core"
import rulesets from "@stoplight/spectral-rulesets"
import { describe, expect, test } from "vitest"

// Catches a description that generators and other programs can't use.
describe.each(["openapi.json", "openapi-auth.json"])("%s", (name) => {
  const source = readFileSync(new URL(`../../${name}`, import.meta.url), "utf8")

  test("satisfies Redocly's recommended rules", async () => {
    const config = await createConfig({
      extends: ["recommended"],
      // `/chats/import/{id}` and `/chats/{id}/fork` have different methods, so no request fits both.
      rules: { "no-ambiguous-paths": "off" },
    })
    const problems = await lintFromString({ source, config })
    expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual(
      [],
    )
  })

  test("satisfies Spectral's rules for OpenAPI", async () => {
    const linter = new spectral.Spectral()
    linter.setRuleset({ extends: [rulesets.oas as RulesetDefinition] })
    const problems: ISpectralDiagnostic[] = await linter.run(source)
    expect(problems.map(({ code, message, path }) => [code, message, path.join(".")])).toEqual([])
  })
})
