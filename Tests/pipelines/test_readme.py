"""The commands of the README that need no camera and no screen succeed."""
import os
import re
import shlex
import tempfile
import unittest

from streams import BIKES, ROOT, command

# Other tests run these commands.
ELSEWHERE = ("Pipelines/demo", "Tests/run")


def blocks(language):
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
        return re.findall(rf"```{language}\n(.*?)```", file.read(), re.DOTALL)


def commands():
    """Yields the commands as lists of words, without those that need a camera or a screen."""
    for block in blocks("sh"):
        for line in block.replace("\\\n", " ").splitlines():
            words = shlex.split(line, comments=True)
            if words and words[0] not in ELSEWHERE and not {"v4l2src", "autovideosink"} & set(words):
                yield words


@unittest.skipUnless(os.path.exists(BIKES), "no demo video: Pipelines/setup fetches it")
class Readme(unittest.TestCase):
    """The commands run unchanged in a folder that has the files they name. The video is two seconds long."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        os.symlink(os.path.join(ROOT, "Pipelines"), os.path.join(cls.folder.name, "Pipelines"))
        command("ffmpeg", "-v", "error", "-ss", "5", "-t", "2", "-i", BIKES, "-preset", "ultrafast", cls.path("in.mp4"))
        command("ffmpeg", "-v", "error", "-ss", "6.2", "-i", BIKES, "-frames:v", "1", cls.path("street.png"))
        with open(cls.path("det.txt"), "w", encoding="ascii") as file:
            file.writelines(f"{frame},-1,{10 + frame},20,30,40,0.9\n" for frame in range(1, 11))

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder.name, name)

    def run_in_folder(self, *words):
        said = command("/usr/bin/env", "--chdir", self.folder.name, *words,
                       PATH=f"{ROOT}/.build/tool:{os.environ['PATH']}", PYTHONPATH=f"{ROOT}/Pipelines/python")
        self.assertEqual(said.returncode, 0, said.stdout[-2000:] + said.stderr)
        return said.stdout

    def test_documented_commands_run(self):
        ran = 0
        for words in commands():
            with self.subTest(" ".join(words)):
                self.run_in_folder(*words)
                ran += 1
        self.assertGreater(ran, 5)
        self.assertGreater(os.path.getsize(self.path("annotated.mp4")), 100_000)
        with open(self.path("tracks.txt"), encoding="ascii") as file:
            self.assertGreater(len(file.readlines()), 5)

    def test_python_example_runs(self):
        (program,) = blocks("python")
        self.assertGreater(len(self.run_in_folder("/usr/bin/python3", "-c", program).splitlines()), 100)


class Links(unittest.TestCase):
    """The links of the README and docs/ have existing targets."""

    PAGES = ["README.md", "CHANGELOG.md"] + [f"docs/{name}" for name in os.listdir(os.path.join(ROOT, "docs"))
                                             if name.endswith(".md")]

    def headings(self, path):
        with open(path, encoding="utf-8") as file:
            titles = re.findall(r"^#+ (.*)$", file.read(), re.MULTILINE)
        return {re.sub(r"[^\w -]", "", title).strip().lower().replace(" ", "-") for title in titles}

    def test_links_resolve(self):
        for page in self.PAGES:
            with open(os.path.join(ROOT, page), encoding="utf-8") as file:
                links = re.findall(r"\]\(([^)#]*)(?:#([^)]*))?\)", file.read())
            for path, heading in links:
                if path.startswith("https:"):
                    continue
                target = os.path.normpath(os.path.join(ROOT, os.path.dirname(page), path)) if path else os.path.join(ROOT, page)
                with self.subTest(f"{page}: {path}#{heading}"):
                    self.assertTrue(os.path.exists(target))
                    if heading:
                        self.assertIn(heading, self.headings(target))

    def test_backquoted_file_names_exist(self):
        for page in self.PAGES:
            with open(os.path.join(ROOT, page), encoding="utf-8") as file:
                named = re.findall(r"`((?:Tests|Pipelines|CShims|Sources|docs)/[\w./-]+)[^`]*`", file.read())
            for path in named:
                if not path.startswith("Pipelines/out"):
                    self.assertTrue(os.path.exists(os.path.join(ROOT, path)), f"{page}: {path}")
