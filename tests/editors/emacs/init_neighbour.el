;;; init_neighbour.el --- A second server, by Eglot  -*- lexical-binding: t; -*-

;;; Code:

(package-activate-all)
(require 'eglot)

(add-to-list 'eglot-server-programs
             (cons 'python-mode (append (json-parse-string (getenv "TWOSPEED_NEIGHBOUR")
                                                           :array-type 'list)
                                        nil)))
(setq eglot-sync-connect 5)
(add-hook 'python-mode-hook #'eglot-ensure)
;;; init_neighbour.el ends here
