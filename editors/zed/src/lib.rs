//! Starts the language server `twospeed` that the user has installed. The extension downloads nothing.

use zed_extension_api::{self as zed, Command, LanguageServerId, Result, Worktree};

const PROGRAM: &str = "twospeed";
const MISSING: &str =
    "twospeed is not on your PATH. Install it with `pipx install .` in a checkout, then restart Zed.";

struct Twospeed;

impl zed::Extension for Twospeed {
    fn new() -> Self {
        Self
    }

    fn language_server_command(
        &mut self,
        _server: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Command> {
        Ok(Command {
            command: worktree.which(PROGRAM).ok_or(MISSING)?,
            args: vec!["serve".to_string(), "--stdio".to_string()],
            env: worktree.shell_env(),
        })
    }
}

zed::register_extension!(Twospeed);
