;;; init_lsp_mode.el --- lsp-mode with twospeed among its servers  -*- lexical-binding: t; -*-

;;; Code:

(package-activate-all)
(require 'lsp-mode)
(add-to-list 'load-path (getenv "TWOSPEED_ADD_ON"))
(require 'twospeed-lsp-mode)

(setq twospeed-command (append (json-parse-string (getenv "TWOSPEED_COMMAND")
                                                  :array-type 'list)
                               nil)
      lsp-enabled-clients '(twospeed)
      lsp-auto-guess-root t
      lsp-session-file (expand-file-name "lsp-session" (getenv "HOME"))
      lsp-restart 'ignore
      lsp-auto-execute-action nil ; also a single action is to be chosen
      lsp-enable-snippet nil
      lsp-enable-file-watchers nil
      lsp-headerline-breadcrumb-enable nil
      lsp-warn-no-matched-clients nil)

(add-hook 'prog-mode-hook #'lsp)
(add-hook 'lsp-after-open-hook
          (lambda () (test-tell "opened" (lsp--buffer-uri))))
;;; init_lsp_mode.el ends here
