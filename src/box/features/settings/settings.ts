import type { api } from "../../../shared/contract/api.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import { BoxSettings, PersonalSettings, type Settings } from "../../../shared/contract/settings.ts"
import type { Database } from "../../core/database.ts"
import type { Handlers } from "../../http/serve.ts"

/** Settings of the box and of its users. */
export interface SettingsService {
  /** The box's, kept in memory for checks on every request. */
  readonly current: BoxSettings
  personal(userId: string): Promise<PersonalSettings>
  /** What the user sees: the box's settings and their own. */
  of(userId: string): Promise<Settings>
  /** Changes what the patch names, and answers like `of`. */
  update(userId: string, patch: SettingsPatch): Promise<Settings>
}

type SettingsPatch = { [K in keyof Settings]?: Settings[K] | undefined }

const defaults: BoxSettings = {
  textEvent: "text-delta",
  allowedHosts: [],
  allowedOrigins: [],
  modelMirror: "https://huggingface.co",
}
const personalDefaults: PersonalSettings = { mutedCategories: [] }

export async function openSettings(db: Database): Promise<SettingsService> {
  let current = await readBox()

  async function readBox(): Promise<BoxSettings> {
    const rows = await db.selectFrom("settings").selectAll().execute()
    return BoxSettings.parse({ ...defaults, ...fromRows(rows) })
  }

  async function personal(userId: string): Promise<PersonalSettings> {
    const rows = await db
      .selectFrom("userSettings")
      .select(["key", "value"])
      .where("userId", "=", userId)
      .execute()
    return PersonalSettings.parse({ ...personalDefaults, ...fromRows(rows) })
  }

  const of = async (userId: string): Promise<Settings> => ({ ...current, ...(await personal(userId)) })

  return {
    get current() {
      return current
    },
    personal,
    of,

    async update(userId, patch) {
      const ofBox = toRows(patch, BoxSettings.shape)
      const ofUser = toRows(patch, PersonalSettings.shape).map((row) => ({ ...row, userId }))
      await db.transaction().execute(async (trx) => {
        if (ofBox.length > 0) {
          await trx
            .insertInto("settings")
            .values(ofBox)
            .onConflict((conflict) =>
              conflict.column("key").doUpdateSet((e) => ({ value: e.ref("excluded.value") })),
            )
            .execute()
        }
        if (ofUser.length > 0) {
          await trx
            .insertInto("userSettings")
            .values(ofUser)
            .onConflict((conflict) =>
              conflict.columns(["userId", "key"]).doUpdateSet((e) => ({ value: e.ref("excluded.value") })),
            )
            .execute()
        }
      })
      current = await readBox()
      return of(userId)
    },
  }
}

const fromRows = (rows: { key: string; value: string }[]) =>
  Object.fromEntries(rows.map(({ key, value }) => [key, JSON.parse(value) as unknown]))

/** Those values of a patch that `shape` knows, as rows. */
const toRows = (patch: SettingsPatch, shape: Record<string, unknown>) =>
  Object.entries(patch)
    .filter(([key, value]) => key in shape && value !== undefined)
    .map(([key, value]) => ({ key, value: JSON.stringify(value) }))

/** The box's settings are its owners' to change; everyone changes their own. */
export function settingsHandlers(
  settings: SettingsService,
  isOwner: (userId: string) => Promise<boolean>,
): Handlers<typeof api.settings> {
  return {
    read: async ({ caller }) => ({ settings: await settings.of(caller.userId) }),
    async update({ caller, body }) {
      const ofBox = toRows(body, BoxSettings.shape).map(({ key }) => key)
      if (ofBox.length > 0 && !(await isOwner(caller.userId))) {
        throw new AppError("forbidden", `Only an owner of the workspace may change: ${ofBox.join(", ")}.`)
      }
      return { settings: await settings.update(caller.userId, body) }
    },
  }
}
