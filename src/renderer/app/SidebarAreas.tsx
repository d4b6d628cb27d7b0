import { t } from "i18next"
import { areaIds, areas } from "../lib/places/areas.ts"
import { SidebarGroup } from "./SidebarGroup.tsx"
import { SidebarLink } from "./SidebarLink.tsx"

/** The parts of the inbox. */
export function SidebarAreas() {
  return (
    <SidebarGroup name="areas" title={t("areas:inbox")} initiallyOpen={false}>
      {areaIds.map((id) => {
        const { route, icon: Icon } = areas[id]
        return (
          <SidebarLink key={id} href={route} icon={<Icon aria-hidden />}>
            {t(`areas:${id}.name`)}
          </SidebarLink>
        )
      })}
    </SidebarGroup>
  )
}
