import { t } from "i18next"
import { Ban } from "lucide-react"
import { accentColours, type AccentColour } from "./accent-colours.ts"
import { RadioTile } from "./RadioTile.tsx"

interface ColourTilesProps {
  /** Name of the radio group, unique on the page. */
  group: string
  /** A hex colour, which may not be among those offered; null for none. */
  colour: string | null
  /** Label of the choice without a colour. */
  none: string
  onChange: (colour: string | null) => void
}

const colours = Object.keys(accentColours) as AccentColour[]

/** A choice between the accent colours and none. */
export function ColourTiles({ group, colour, none, onChange }: ColourTilesProps) {
  return (
    <>
      <RadioTile group={group} name={none} chosen={colour === null} onChoose={() => onChange(null)}>
        <Ban className="size-4 text-faint" aria-hidden />
      </RadioTile>
      {colours.map((name) => {
        const offered = accentColours[name]
        return (
          <RadioTile
            key={name}
            group={group}
            name={t(`folders:colour.${name}`)}
            chosen={colour?.toLowerCase() === offered.toLowerCase()}
            onChoose={() => onChange(offered)}
          >
            <span className="size-4 rounded-full" style={{ background: offered }} />
          </RadioTile>
        )
      })}
    </>
  )
}
