/** Every icon by its PascalCase name; large, so it is loaded only when a name outside the usual ones is to be drawn. */
export { icons as allIcons } from "lucide-react"
