#!/bin/sh
# git (seen with 2.39.5): after a conflict, git merge --continue and git cherry-pick --continue ask the hook pre-commit;
# git rebase --continue does not, though it makes a commit of what was added by hand. It asks prepare-commit-msg, and that
# hook can stop it. Where nothing is left of the commit, because OURS was kept, it asks no hook at all.
# A good guess is wrong: all three stop at the same place and go on with the same word, a person edited the files in
# between, and two of them treat this commit as any other.
# It hurts who guards a repository by pre-commit, such as against conflict markers, invalid data or edits that a merge
# driver left undecided: a rebase lets them through, and the next person gets them.
set -eu
command -v git > /dev/null
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
HOME=$folder GIT_CONFIG_NOSYSTEM=1 GIT_EDITOR=true; export HOME GIT_CONFIG_NOSYSTEM GIT_EDITOR
git --version
commit() { printf '%s\n' "$1" > file; git add file; git commit --quiet --message "$1"; }
for command in merge cherry-pick rebase; do
  for hook in pre-commit prepare-commit-msg; do
    rm -rf "$folder/work"; mkdir "$folder/work"; cd "$folder/work"
    git init --quiet --initial-branch main
    git config user.name A; git config user.email a@example.org
    commit base; git checkout --quiet -b other; commit theirs; git checkout --quiet main; commit ours
    git "$command" other > /dev/null 2>&1 && exit 1
    printf '#!/bin/sh\ntouch "%s/asked"\nexit 1\n' "$folder" > ".git/hooks/$hook"; chmod +x ".git/hooks/$hook"
    printf 'by hand\n' > file; git add file
    git "$command" --continue > /dev/null 2>&1 || true
    if [ -e "$folder/asked" ]; then asked=asked; rm "$folder/asked"; else asked="not asked"; fi
    echo "git $command --continue: $hook is $asked"
    case "$command $hook $asked" in
      "rebase pre-commit asked" | *"prepare-commit-msg not asked" | "merge pre-commit not"* | "cherry-pick pre-commit not"*)
        echo "the behaviour has changed"; exit 1 ;;
    esac
  done
done
