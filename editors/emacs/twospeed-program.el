;;; twospeed-program.el --- The server's program and its settings  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; What a person says of the server, where its program is, and what is said
;; where one of them cannot be used.

;;; Code:

(require 'cl-lib)
(require 'jsonrpc)

(defgroup twospeed nil
  "Inline AI edits at two speeds."
  :group 'tools
  :prefix "twospeed-")

(defcustom twospeed-command nil
  "The program and arguments that start the server, without `serve'.
With nil it is looked for: `twospeed' on the variable `exec-path' and
where pipx and uv install programs, then as `uvx twospeed'."
  :type '(choice (const :tag "Look for it" nil) (repeat string)))

(defcustom twospeed-settings nil
  "Settings for the server, as a property list of JSON values.
Only `:mode', `:scope', `:delivery' and `:ignore' may stand here, and
`:limits' and `:gate' where they are stricter than the user's config;
anything else belongs into twospeed's own config.  They are read when
a server starts."
  :type 'plist)

(defconst twospeed-program--installer "pipx install /path/to/twospeed"
  "The command that installs the server.")

(defun twospeed-program-command ()
  "Give the command that starts the server, as a list.
If there is none, say what to do."
  (unless (and (listp twospeed-command) (cl-every #'stringp twospeed-command))
    (user-error "`twospeed-command' must be a list of strings, such as %S"
                '("/path/to/twospeed")))
  (or twospeed-command
      (let* ((exec-path (append exec-path (list (expand-file-name "~/.local/bin"))))
             (twospeed (executable-find "twospeed"))
             (uvx (executable-find "uvx")))
        (cond (twospeed (list twospeed))
              (uvx (list uvx "twospeed"))))
      (user-error "The server of twospeed is not installed: run `%s'"
                  twospeed-program--installer)))

(defun twospeed-program-settings ()
  "Give `twospeed-settings' as the server takes them.
Where they cannot be said in JSON, say so."
  (condition-case nil
      (prog1 (or twospeed-settings (make-hash-table))
        (jsonrpc--json-encode twospeed-settings))
    (error (user-error "`twospeed-settings' must be a property list of JSON values, such as %S"
                       '(:mode "deep")))))

(provide 'twospeed-program)
;;; twospeed-program.el ends here
