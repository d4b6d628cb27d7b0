import { t } from "i18next"
import { Check, Minus } from "lucide-react"
import { ChildWall } from "../../../../shared/contract/privacy.ts"
import { useChildWalls } from "../../../data/privacy.ts"
import { describeError } from "../../../lib/box.ts"
import { Note } from "../../../ui/Note.tsx"
import { SettingsGroup } from "../../../ui/controls/SettingsGroup.tsx"

/** Which walls stand around the programs that read what others made. */
export function WallsGroup() {
  const { data, error } = useChildWalls()
  const reasons = new Set(data?.children.flatMap(({ walls }) => walls.flatMap(({ reason }) => reason ?? [])))
  return (
    <SettingsGroup title={t("privacy:walls.title")} description={t("privacy:walls.description")}>
      {error && <Note kind="error">{describeError(error)}</Note>}
      {data && (
        <div className="overflow-x-auto rounded-lg border border-line">
          <table className="w-full text-left text-sm">
            <thead>
              <tr className="border-b border-line text-xs text-soft">
                <th className="px-3 py-2 font-normal">{t("privacy:walls.program")}</th>
                {ChildWall.options.map((wall) => (
                  <th key={wall} className="px-3 py-2 font-normal">
                    {t(`privacy:walls.wall.${wall}`)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody className="divide-y divide-line">
              {data.children.map(({ child, walls }) => (
                <tr key={child}>
                  <th scope="row" className="px-3 py-2 font-normal">
                    {t(`privacy:walls.child.${child}`)}
                  </th>
                  {walls.map(({ wall, stands }) => (
                    <td key={wall} className="px-3 py-2">
                      <span
                        className={
                          stands ? "flex items-center gap-1.5" : "flex items-center gap-1.5 text-soft"
                        }
                      >
                        {stands ? (
                          <Check aria-hidden className="size-4" />
                        ) : (
                          <Minus aria-hidden className="size-4" />
                        )}
                        {t(stands ? "privacy:walls.stands" : "privacy:walls.missing")}
                      </span>
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <div className="mt-2 flex flex-col gap-2 empty:hidden">
        {[...reasons].map((reason) => (
          <Note key={reason} kind="quiet">
            {t(`privacy:walls.reason.${reason}`)}
          </Note>
        ))}
      </div>
    </SettingsGroup>
  )
}
