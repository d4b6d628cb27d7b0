// `npm run audit` checks whether the licences of everything shipped allow shipping it, and whether it has known advisories.
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { bundledPackages, isLicenceAllowed } from "./licences.ts"
// @ts-expect-error -- plain JavaScript without types: it runs before TypeScript is installed
import { environment, usableNpm } from "./setup.mjs"

const root = join(import.meta.dirname, "..")
const timeoutMs = 60_000

export interface Advisory {
  name: string
  severity: string
  title: string
}

interface AuditReport {
  metadata?: { vulnerabilities?: unknown }
  vulnerabilities?: Record<string, { severity: string; via: (string | { title?: string })[] }>
}

/** Returns the advisories in a report of `npm audit --json`, or null if the registry gave no answer. */
export function readAdvisories(report: string): Advisory[] | null {
  const { metadata, vulnerabilities } = parse(report)
  if (metadata?.vulnerabilities === undefined || vulnerabilities === undefined) return null
  return Object.entries(vulnerabilities).flatMap(([name, { severity, via }]) =>
    via.flatMap((cause) => (typeof cause === "string" ? [] : [{ name, severity, title: cause.title ?? "" }])),
  )
}

function parse(report: string): AuditReport {
  try {
    return JSON.parse(report) as AuditReport
  } catch {
    return {}
  }
}

function checkLicences(): boolean {
  const { packages } = bundledPackages(root)
  const counts = new Map<string, number>()
  for (const { licence } of packages) counts.set(licence, (counts.get(licence) ?? 0) + 1)
  console.log(`Licences of the ${packages.length} packages that ship:`)
  for (const [licence, count] of [...counts].toSorted(([, a], [, b]) => b - a))
    console.log(`  ${count} ${licence}`)
  const refused = packages.filter(({ licence }) => !isLicenceAllowed(licence))
  for (const { name, version, licence } of refused) console.log(`Not allowed: ${name} ${version}, ${licence}`)
  return refused.length === 0
}

function checkAdvisories(): boolean {
  const [npm = "npm", ...given] = usableNpm() as string[]
  const { stdout } = spawnSync(npm, [...given, "audit", "--json", "--omit=dev", "--package-lock-only"], {
    cwd: root,
    env: environment() as NodeJS.ProcessEnv,
    shell: process.platform === "win32",
    encoding: "utf8",
    timeout: timeoutMs,
  })
  const advisories = readAdvisories(stdout ?? "")
  if (advisories === null) {
    console.log("The registry gave no answer about advisories, so they weren't checked.")
    return true
  }
  for (const { name, severity, title } of advisories) console.log(`Advisory: ${name}, ${severity}: ${title}`)
  if (advisories.length === 0) console.log("There are no known advisories.")
  return advisories.length === 0
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href)
  process.exitCode = [checkLicences(), checkAdvisories()].every(Boolean) ? 0 : 1
