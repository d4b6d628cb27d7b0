import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "@playwright/test"
// @ts-expect-error -- plain JavaScript without types: it runs before TypeScript is installed
import { findWholeBrowser } from "../scripts/setup.mjs"

const journeys = join(import.meta.dirname, "isolated-network/playwright.config.ts")

/**
 * A network confined to this computer. The test's own server answers name lookups. 203.0.113.0/24 is this computer, so that the sinks see
 * who connects. Everything else goes to `out0`, which counts packets and leads nowhere.
 */
const enter = `set -e
echo 1 > /proc/sys/net/ipv6/conf/default/mldv2_unsolicited_report_interval
ip link set lo up
ip link add out0 type veth peer name out1
ip link set out0 addrgenmode none
ip link set out1 addrgenmode none
ip link set out1 up
ip link set out0 up
ip address add 192.0.2.1/24 dev out0
ip neighbour add 192.0.2.2 lladdr 02:00:00:00:00:02 dev out0 nud permanent
ip route add default via 192.0.2.2
ip -6 address add 2001:db8::1/64 dev out0 nodad
ip -6 neighbour add 2001:db8::2 lladdr 02:00:00:00:00:02 dev out0 nud permanent
ip -6 route add default via 2001:db8::2
ip route add local 203.0.113.0/24 dev lo
mount --bind "$1/resolv.conf" /etc/resolv.conf
mount --bind "$1/nsswitch.conf" /etc/nsswitch.conf
shift
exec "$@"`

function runInOwnNetwork(...command: string[]) {
  const directory = mkdtempSync(join(tmpdir(), "casella-network-"))
  writeFileSync(join(directory, "resolv.conf"), "nameserver 127.0.0.1\n")
  writeFileSync(join(directory, "nsswitch.conf"), "hosts: files dns\n")
  const userOptions = process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"]
  try {
    const args = [...userOptions, "--net", "--mount", "sh", "-c", enter, "sh", directory, ...command]
    return spawnSync("unshare", args, { encoding: "utf8", timeout: 280_000 })
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

// Catches a packet that the page, a widget, a parser, Python or the box itself sends while nothing may leave.
for (const file of ["leaving", "reading"])
  test(`nothing leaves a network of its own: ${file}`, () => {
    test.setTimeout(300_000)
    const possible = runInOwnNetwork("true")
    test.skip(possible.status !== 0, "network")
    const browser = (findWholeBrowser as () => string | undefined)()
    test.skip(browser === undefined, "whole-browser")
    const { PATH, HOME, TMPDIR = tmpdir() } = process.env
    const node = process.execPath
    const playwright = join(import.meta.dirname, "../node_modules/@playwright/test/cli.js")
    const environment = [`PATH=${PATH}`, `HOME=${HOME}`, `TMPDIR=${TMPDIR}`, `CHROMIUM_PATH=${browser}`]
    const run = runInOwnNetwork(
      "env",
      "-i",
      ...environment,
      node,
      playwright,
      "test",
      "--config",
      journeys,
      file,
    )
    expect(run.status, `${run.stdout}\n${run.stderr}`).toBe(0)
  })
