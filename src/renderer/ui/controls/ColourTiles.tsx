import { t } from "i18next"
import { Ban } from "lucide-react"
import type { ReactNode } from "react"
import { classNames } from "../class-names.ts"

/** Accent colours that people can choose, visible in light and dark themes. Their names are translated under `folders:colour`. */
export const accentColours = {
  red: "#DC4C4C",
  orange: "#D9692B",
  amber: "#B07D12",
  green: "#2E9A57",
  teal: "#178F92",
  blue: "#2F83DB",
  indigo: "#6470E8",
  purple: "#9A5BD9",
  pink: "#D44C94",
  grey: "#7A7F8A",
} as const

type AccentColour = keyof typeof accentColours

interface RadioTileProps {
  /** Name of the radio group, the same for all tiles that exclude each other. */
  group: string
  /** Label of the choice. */
  name: string
  chosen: boolean
  onChoose: () => void
  /** A small image of the choice. */
  children: ReactNode
}

/** One of several small images to choose from. */
export function RadioTile({ group, name, chosen, onChoose, children }: RadioTileProps) {
  return (
    <label
      title={name}
      className={classNames(
        "flex size-8 items-center justify-center rounded-md has-focus-visible:outline-2 has-focus-visible:outline-accent",
        chosen ? "bg-selected inset-ring inset-ring-line-strong" : "hover:bg-hover",
      )}
    >
      <input
        type="radio"
        name={group}
        aria-label={name}
        checked={chosen}
        onChange={onChoose}
        className="sr-only"
      />
      {children}
    </label>
  )
}

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
