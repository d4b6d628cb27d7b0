import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { z } from "zod"
import { languageCodes } from "../shared/languages.ts"
import { Placement } from "./windows/window-options.ts"

/** Settings that the desktop program stores itself; all others are in the box. */
const DesktopSettings = z.object({
  placement: Placement.nullable().catch(null),
  /** Keeps Casella running after its window is closed. Off by default on Linux, which may have no tray. */
  keepRunning: z.boolean().catch(process.platform !== "linux"),
  quickAskShortcut: z.string().max(60).nullable().catch("Alt+Shift+Space"),
  /** The page's language; null until the page has reported it. */
  language: z.enum(languageCodes).nullable().catch(null),
  /** Null means the system's languages. */
  spellCheckLanguages: z.array(z.string()).nullable().catch(null),
  /** Address of a directory with electron-updater's files. If null, no update check is ever made. */
  updates: z.object({ feed: z.url().nullable().catch(null) }).catch({ feed: null }),
})
export type DesktopSettings = z.infer<typeof DesktopSettings>

export interface OpenDesktopSettings {
  readonly current: DesktopSettings
  update(changes: Partial<DesktopSettings>): void
}

/** Opens `desktop.json`. A missing or damaged file or field is replaced by the default, so that it never prevents a start. */
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
