;;; twospeed-program.el --- The server's program and its settings  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The user options for the server, and how its program is found.

;;; Code:

(require 'cl-lib)
(require 'jsonrpc)

(defgroup twospeed nil
  "Inline AI edits at two speeds."
  :group 'tools
  :prefix "twospeed-")

(defcustom twospeed-command nil
  "The program and arguments that start the server, without `serve'.
If nil, search for `twospeed' on the variable `exec-path' and in
~/.local/bin, where pipx and uv install programs."
  :type '(choice (const :tag "Search" nil) (repeat string)))

(defcustom twospeed-settings nil
  "Settings for the server, as a property list of JSON values.
Allowed are `:mode', `:scope', `:delivery' and `:ignore', and `:limits'
and `:gate' if they are stricter than the user's config.  Everything
else belongs in twospeed's own config.  They are read when a server
starts."
  :type 'plist)

(defconst twospeed-program--installer "pipx install /path/to/twospeed"
  "The command that installs the server.")

(defun twospeed-program-command ()
  "Return the command that starts the server, as a list.
Signal a `user-error' if there is none."
  (unless (and (listp twospeed-command) (cl-every #'stringp twospeed-command))
    (user-error "`twospeed-command' must be a list of strings, for example %S"
                '("/path/to/twospeed")))
  (or twospeed-command
      (let* ((exec-path (append exec-path (list (expand-file-name "~/.local/bin"))))
             (twospeed (executable-find "twospeed")))
        (and twospeed (list twospeed)))
      (user-error "The server of twospeed is not installed; install it with `%s'"
                  twospeed-program--installer)))

(defun twospeed-program-settings ()
  "Return `twospeed-settings' as a JSON value.
Signal a `user-error' if they have no representation in JSON."
  (condition-case nil
      (prog1 (or twospeed-settings (make-hash-table))
        (jsonrpc--json-encode twospeed-settings))
    (error (user-error "`twospeed-settings' must be a property list of JSON values, for example %S"
                       '(:mode "deep")))))

(provide 'twospeed-program)
;;; twospeed-program.el ends here
