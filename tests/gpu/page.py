"""The page of results: sections of tables, each row with what was measured and whether it holds."""


def words(tally):
    """'2 no_slot, 1 undrained' of {what: how many}."""
    return ", ".join(f"{count} {name}" for name, count in sorted(tally.items(), key=str)) or "-"


class Page:
    def __init__(self, path, machine):
        self.path = path
        self.failed = False
        self.lines = ["# Results on a GPU", "", "Made by `scripts/gpu-test`; figures hold for this machine.", ""]
        self.lines += [f"- {key}: {value}" for key, value in machine.items()]

    def section(self, title, text, columns):
        self.lines += ["", f"## {title}", "", text, "", "| " + " | ".join(columns) + " |"]
        self.lines.append("|" + "---|" * len(columns))

    def row(self, cells, holds=True):
        """`holds` False: something that must hold does not; None: a bar that is missed, or unknown."""
        self.failed = self.failed or holds is False
        word = {True: "yes", False: "**NO**", None: "missed"}[holds]
        self.lines.append("| " + " | ".join([str(cell) for cell in cells] + [word]) + " |")
        print("| " + " | ".join([str(cell) for cell in cells] + [word]) + " |", flush=True)

    def figures(self, cells):
        """A row of what has no bar, under columns without `holds`."""
        self.lines.append("| " + " | ".join(str(cell) for cell in cells) + " |")
        print(self.lines[-1], flush=True)

    def note(self, text):
        self.lines += ["", text]

    def text(self):
        return "\n".join(self.lines) + "\n"

    def write(self):
        self.path.write_text(self.text())
