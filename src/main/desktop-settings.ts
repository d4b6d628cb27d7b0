import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { z } from "zod"
import { Placement } from "./windows/window-placement.ts"

/** What the desktop program remembers by itself; everything else is the box's. */
const DesktopSettings = z.object({
  placement: Placement.nullable().catch(null),
  /** Closing the window leaves Casella running. Not by default on Linux, where there may be no tray to find it in. */
  keepRunning: z.boolean().catch(process.platform !== "linux"),
  quickAskShortcut: z.string().max(60).nullable().catch("Alt+Shift+Space"),
  /** The page's language; null until it has said so. */
  language: z.enum(["en", "it"]).nullable().catch(null),
  /** Null: the system's. */
  spellCheckLanguages: z.array(z.string()).nullable().catch(null),
  /** Address of a directory with electron-updater's files; null: nothing is ever asked for. */
  updates: z.object({ feed: z.url().nullable().catch(null) }).catch({ feed: null }),
})
export type DesktopSettings = z.infer<typeof DesktopSettings>

export interface OpenDesktopSettings {
  readonly current: DesktopSettings
  update(changes: Partial<DesktopSettings>): void
}

/** Opens `desktop.json`. A missing or damaged file, or field, is the default: nothing in it is worth not starting for. */
export function openDesktopSettings(path: string): OpenDesktopSettings {
  let current = DesktopSettings.parse(read(path))
  return {
    get current() {
      return current
    },
    update(changes) {
      current = { ...current, ...changes }
      mkdirSync(dirname(path), { recursive: true })
      const partial = `${path}.partial`
      writeFileSync(partial, `${JSON.stringify(current, null, 2)}\n`)
      renameSync(partial, path)
    },
  }
}

function read(path: string): object {
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(readFileSync(path, "utf8")))
  } catch {
    return {}
  }
}
