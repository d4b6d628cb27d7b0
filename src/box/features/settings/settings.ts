import type { api } from "../../../shared/contract/api.ts"
import { Settings } from "../../../shared/contract/settings.ts"
import type { Database } from "../../core/database.ts"
import type { Handlers } from "../../http/serve.ts"

/** Settings of the box. `current` is kept in memory, for checks on every request. */
export interface SettingsService {
  readonly current: Settings
  update(patch: SettingsPatch): Promise<Settings>
}

type SettingsPatch = { [K in keyof Settings]?: Settings[K] | undefined }

const defaults: Settings = { textEvent: "text-delta", allowedHosts: [], allowedOrigins: [] }

export async function openSettings(db: Database): Promise<SettingsService> {
  const rows = await db.selectFrom("settings").selectAll().execute()
  const stored = Object.fromEntries(rows.map((row) => [row.key, JSON.parse(row.value) as unknown]))
  let current = Settings.parse({ ...defaults, ...stored })
  return {
    get current() {
      return current
    },
    async update(patch) {
      const changed = Object.entries(patch)
        .filter(([, value]) => value !== undefined)
        .map(([key, value]) => ({ key, value: JSON.stringify(value) }))
      if (changed.length > 0) {
        await db
          .insertInto("settings")
          .values(changed)
          .onConflict((conflict) =>
            conflict.column("key").doUpdateSet((e) => ({ value: e.ref("excluded.value") })),
          )
          .execute()
      }
      current = Settings.parse({ ...current, ...JSON.parse(JSON.stringify(patch)) })
      return current
    },
  }
}

export function settingsHandlers(settings: SettingsService): Handlers<typeof api.settings> {
  return {
    read: () => ({ settings: settings.current }),
    update: async ({ body }) => ({ settings: await settings.update(body) }),
  }
}
