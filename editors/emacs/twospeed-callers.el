;;; twospeed-callers.el --- Files and references for the server  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Handles `twospeed/openDocument' and `twospeed/references': with them the
;; server updates the callers of a definition, also in files that no buffer
;; visits.  References come from the server of Eglot or lsp-mode.

;;; Code:

(require 'jsonrpc)
(require 'twospeed-document)
(require 'twospeed-server)

(declare-function eglot-current-server "ext:eglot" ())
(declare-function lsp-request-async "ext:lsp-mode" (method params callback &rest settings))
(declare-function twospeed-mode "twospeed" (&optional argument))
(defvar lsp-mode)
(defvar vc-follow-symlinks)

(defun twospeed-callers--open (server params)
  "Visit the file of PARAMS without showing it.
Return nil if SERVER cannot edit it."
  (let* ((file (twospeed-document-file
                (plist-get (plist-get params :textDocument) :uri)))
         (enable-local-variables :safe)
         (vc-follow-symlinks nil)
         (buffer (and file (file-readable-p file) (find-file-noselect file t))))
    (when buffer
      (with-current-buffer buffer
        (unless twospeed-server
          (twospeed-mode 1))
        (and (eq twospeed-server server) twospeed-document-uri (make-hash-table))))))

(defun twospeed-callers--references (server params answer)
  "Call ANSWER with the references of the name at the position of PARAMS.
The buffer is open on SERVER.  Without another server, or with another
version of the buffer, they are nil."
  (let* ((document (plist-get params :textDocument))
         (buffer (twospeed-server-buffer server (plist-get document :uri))))
    (if (null buffer)
        (funcall answer nil)
      (with-current-buffer buffer
        (let ((query (list :textDocument (list :uri (plist-get document :uri))
                           :position (plist-get params :position)
                           :context '(:includeDeclaration :json-false)))
              (eglot (and (fboundp 'eglot-current-server) (eglot-current-server))))
          (cond
           ((not (equal (plist-get (twospeed-document-id) :version)
                        (plist-get document :version)))
            (funcall answer nil))
           (eglot
            (jsonrpc-async-request eglot :textDocument/references query
                                   :deferred :textDocument/references ; after Eglot has sent all changes
                                   :success-fn answer
                                   :error-fn (lambda (_) (funcall answer nil))
                                   :timeout-fn (lambda () (funcall answer nil))))
           ((bound-and-true-p lsp-mode)
            (lsp-request-async "textDocument/references" query answer
                               :mode 'detached
                               :error-handler (lambda (_) (funcall answer nil))))
           (t
            (funcall answer nil))))))))

(twospeed-server-on 'twospeed/openDocument
                    (lambda (server params)
                      (lambda (answer)
                        (funcall answer
                                 (condition-case problem
                                     (twospeed-callers--open server params)
                                   ((error quit)
                                    (message "twospeed: %s" (error-message-string problem))
                                    nil))))))

(twospeed-server-on 'twospeed/references
                    (lambda (server params)
                      (lambda (answer)
                        (twospeed-callers--references server params answer))))

(provide 'twospeed-callers)
;;; twospeed-callers.el ends here
