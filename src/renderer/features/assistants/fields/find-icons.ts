/** Icons for common topics, offered before a search. */
const usual = [
  "Bot Sparkles Brain GraduationCap BookOpen Library FileText FileSearch Newspaper ScrollText ClipboardList PenLine",
  "Languages Scale Gavel Landmark Briefcase Building2 Calculator ChartLine ChartPie Coins Receipt Code Terminal",
  "Database Bug Wrench Hammer FlaskConical Microscope Stethoscope HeartPulse Leaf Utensils ShoppingCart Plane Car",
  "House Calendar Clock Mail MessageSquare Mic Music Palette Camera Globe Map Shield Key Lightbulb Star Rocket",
]
  .join(" ")
  .split(" ")

/** Converts "ChartLine" to "chart line". */
const words = (name: string): string =>
  name.replaceAll(/(?<=[a-z])(?=[A-Z0-9])|(?<=[0-9])(?=[A-Z])/g, " ").toLowerCase()

/** Returns the names that contain every search word, those that start with it first. Without a search, returns the common ones. */
export function findIcons(names: readonly string[], search: string): string[] {
  const wanted = search.trim().toLowerCase()
  if (wanted === "") {
    const known = new Set(names)
    return usual.filter((name) => known.has(name))
  }
  const parts = wanted.split(/\s+/)
  const rank = (name: string) => {
    const text = words(name)
    if (!parts.every((part) => text.includes(part) || name.toLowerCase().includes(part))) return 3
    return text === wanted || name.toLowerCase() === wanted ? 0 : text.startsWith(wanted) ? 1 : 2
  }
  return names
    .map((name) => ({ name, position: rank(name) }))
    .filter(({ position }) => position < 3)
    .sort((a, b) => a.position - b.position)
    .map(({ name }) => name)
}
