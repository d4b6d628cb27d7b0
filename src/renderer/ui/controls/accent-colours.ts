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

export type AccentColour = keyof typeof accentColours
