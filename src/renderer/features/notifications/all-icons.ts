/** Every icon by its PascalCase name; large, so it is loaded only when a sender names an icon outside the usual ones. */
export { icons as allIcons } from "lucide-react"
