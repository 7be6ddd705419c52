; Each pattern captures a whole definition under its kind, and under @name what it is called. A @declaration is a
; function whose body is elsewhere. @import is the path of an include; @import.system one in angle brackets.

(function_definition
  declarator: (function_declarator
    declarator: [(identifier) (field_identifier) (operator_name) (destructor_name) (qualified_identifier)] @name))
  @function
(function_definition
  declarator: (pointer_declarator
    declarator: (function_declarator
      declarator: [(identifier) (field_identifier) (operator_name) (qualified_identifier)] @name))) @function
(function_definition
  declarator: (reference_declarator
    (function_declarator
      declarator: [(identifier) (field_identifier) (operator_name) (qualified_identifier)] @name))) @function
(declaration declarator: (function_declarator declarator: [(identifier) (destructor_name)] @name)) @declaration
(declaration
  declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))) @declaration
(declaration
  declarator: (reference_declarator (function_declarator declarator: (identifier) @name))) @declaration
(field_declaration
  declarator: (function_declarator declarator: [(field_identifier) (operator_name)] @name)) @declaration
(field_declaration
  declarator: (pointer_declarator declarator: (function_declarator declarator: (field_identifier) @name))) @declaration
(field_declaration
  declarator: (reference_declarator (function_declarator declarator: (field_identifier) @name))) @declaration
(class_specifier name: [(type_identifier) (qualified_identifier)] @name body: (_)) @class
(struct_specifier name: [(type_identifier) (qualified_identifier)] @name body: (_)) @struct
(union_specifier name: (type_identifier) @name body: (_)) @struct
(enum_specifier name: (type_identifier) @name body: (_)) @enum
(concept_definition name: (identifier) @name) @type
(alias_declaration name: (type_identifier) @name) @type
(type_definition declarator: (type_identifier) @name) @type
(namespace_definition name: (_) @name) @module
(preproc_def name: (identifier) @name value: (_)) @macro
(preproc_function_def name: (identifier) @name) @macro
(translation_unit (declaration declarator: (init_declarator declarator: (identifier) @name)) @variable)
(namespace_definition
  body: (declaration_list (declaration declarator: (init_declarator declarator: (identifier) @name)) @variable))

(preproc_include path: (string_literal (string_content) @import))
(preproc_include path: (system_lib_string) @import.system)
